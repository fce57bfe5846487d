# SPDX-License-Identifier: Apache-2.0
# cmake -D STELE=command -D SCDOC=scdoc -D OUT=folder -P write_manual.cmake

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man1 ${OUT}/completions)

foreach(shell IN ITEMS bash zsh fish)
    execute_process(COMMAND ${STELE} help --completion ${shell}
        OUTPUT_FILE ${OUT}/completions/stele.${shell} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

if(SCDOC)
    execute_process(COMMAND ${STELE} help --pages
        OUTPUT_VARIABLE pages OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" pages "${pages}")
    foreach(page IN LISTS pages)
        execute_process(COMMAND ${STELE} help --scdoc ${page} COMMAND ${SCDOC}
            OUTPUT_FILE ${OUT}/man1/${page}.1 COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
endif()

file(TOUCH ${OUT}/stamp)
