# SPDX-License-Identifier: Apache-2.0
# Manual pages and shell completions, written by the command itself from its table of options.

if(NOT TARGET stele OR CMAKE_CROSSCOMPILING
   OR NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/options.def)
    return()
endif()

set(manual_dir ${CMAKE_CURRENT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual_dir}/stamp
    COMMAND ${CMAKE_COMMAND} -D STELE=$<TARGET_FILE:stele> -D SCDOC=${STELE_SCDOC}
        -D OUT=${manual_dir} -P ${CMAKE_CURRENT_LIST_DIR}/write_manual.cmake
    DEPENDS stele ${CMAKE_CURRENT_LIST_DIR}/write_manual.cmake
    VERBATIM
    COMMENT "Writing manual pages and completions")
add_custom_target(stele_manual ALL DEPENDS ${manual_dir}/stamp)

install(DIRECTORY ${manual_dir}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${manual_dir}/completions/stele.bash RENAME stele
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual_dir}/completions/stele.zsh RENAME _stele
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual_dir}/completions/stele.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
