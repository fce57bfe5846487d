# SPDX-License-Identifier: Apache-2.0
# The traces of docs/tutorial.md and of the examples: samples of each format under short names, in
# the folder `traces` of the build, and installed with the example programs.

set(traces_dir ${CMAKE_CURRENT_BINARY_DIR}/traces)
foreach(row IN ITEMS
        run.heph=heph/good/heph_tracing_example.bin.log
        run.fxt=fxt/good/events.fxt
        sched.fxt=fxt/good/scheduling.fxt
        run.xray=xray/good/events.fdr2.xray)
    string(REPLACE "=" ";" row ${row})
    list(POP_FRONT row name source)
    configure_file(src/formats/${source} ${traces_dir}/${name} COPYONLY)
endforeach()
foreach(row IN ITEMS run.ctf=ctf/good/lttng_216_2 run.xtrace=xtrace/good/collection)
    string(REPLACE "=" ";" row ${row})
    list(POP_FRONT row name source)
    file(COPY src/formats/${source}/ DESTINATION ${traces_dir}/${name})
endforeach()
install(DIRECTORY ${traces_dir} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
