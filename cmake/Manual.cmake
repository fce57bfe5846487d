# SPDX-License-Identifier: Apache-2.0
# Manual pages and shell completions, written by the command itself from its table of options; and
# pages made from the public headers and the documents.

set(manual_dir ${CMAKE_CURRENT_BINARY_DIR}/manual)
file(GLOB manual_documents CONFIGURE_DEPENDS docs/*.md src/formats/*/FORMAT.md)
set(manual_lowdown "")
if(STELE_LOWDOWN)
    set(manual_lowdown ${STELE_LOWDOWN})
endif()
add_custom_command(OUTPUT ${manual_dir}/documents.stamp
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/manual_documents.sh ${CMAKE_CURRENT_SOURCE_DIR}
        ${manual_dir}/documents ${PROJECT_VERSION} "${manual_lowdown}"
    COMMAND ${CMAKE_COMMAND} -E touch ${manual_dir}/documents.stamp
    DEPENDS ${STELE_PUBLIC_HEADERS} ${manual_documents}
        ${CMAKE_CURRENT_LIST_DIR}/manual_documents.sh ${CMAKE_CURRENT_LIST_DIR}/header_page.awk
        ${CMAKE_CURRENT_LIST_DIR}/plain_links.awk
    VERBATIM
    COMMENT "Writing manual pages of the library, formats and subjects")
add_custom_target(stele_manual_documents ALL DEPENDS ${manual_dir}/documents.stamp)
install(DIRECTORY ${manual_dir}/documents/ DESTINATION ${CMAKE_INSTALL_MANDIR})

if(NOT TARGET stele OR CMAKE_CROSSCOMPILING
   OR NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/options.def)
    return()
endif()

set(manual_command_dir ${manual_dir}/command)
add_custom_command(OUTPUT ${manual_command_dir}/stamp
    COMMAND ${CMAKE_COMMAND} -D STELE=$<TARGET_FILE:stele> -D SCDOC=${STELE_SCDOC}
        -D OUT=${manual_command_dir}
        -P ${CMAKE_CURRENT_LIST_DIR}/write_manual.cmake
    DEPENDS stele ${CMAKE_CURRENT_LIST_DIR}/write_manual.cmake
    VERBATIM
    COMMENT "Writing manual pages and completions")
add_custom_target(stele_manual ALL DEPENDS ${manual_command_dir}/stamp)

install(DIRECTORY ${manual_command_dir}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${manual_command_dir}/completions/stele.bash RENAME stele
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual_command_dir}/completions/stele.zsh RENAME _stele
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual_command_dir}/completions/stele.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
