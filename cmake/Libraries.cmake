# SPDX-License-Identifier: Apache-2.0
# libstele for others: shared and static, of the same objects.

set(public_includes
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(stele_shared SHARED $<TARGET_OBJECTS:stele_objects>)
target_link_libraries(stele_shared PRIVATE ${STELE_LIBRARIES})
set_target_properties(stele_shared PROPERTIES
    EXPORT_NAME stele
    VERSION ${PROJECT_VERSION}
    SOVERSION 0)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT STELE_SANITIZE AND NOT STELE_FUZZ)
    set(map ${CMAKE_CURRENT_LIST_DIR}/stele.map)
    target_link_options(stele_shared PRIVATE LINKER:--version-script=${map})
    set_property(TARGET stele_shared APPEND PROPERTY LINK_DEPENDS ${map})
endif()

# Inside the static library, too, only the public names should be visible: the internal ones are
# short (`cursor_take`) and would clash with a user's. So its objects are linked into one, in which
# hidden symbols become local. Instrumented objects do not take that well and stay as they are.
set(static_objects $<TARGET_OBJECTS:stele_objects>)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_OBJCOPY AND CMAKE_LINKER
   AND NOT STELE_SANITIZE AND NOT STELE_FUZZ AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    set(static_objects ${CMAKE_CURRENT_BINARY_DIR}/stele_public.o)
    if(CMAKE_SIZEOF_VOID_P EQUAL 4)
        # The helpers of position-independent code for i386 come in groups, of which another object
        # would discard the hidden copy.
        set(static_options --force-group-allocation)
    endif()
    add_custom_command(OUTPUT ${static_objects}
        COMMAND ${CMAKE_LINKER} -r ${static_options} -o ${static_objects} $<TARGET_OBJECTS:stele_objects>
        COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${static_objects}
        DEPENDS stele_objects $<TARGET_OBJECTS:stele_objects>
        COMMAND_EXPAND_LISTS VERBATIM
        COMMENT "Hiding internal names in libstele.a")
endif()
add_library(stele_static STATIC ${static_objects})
target_link_libraries(stele_static PRIVATE ${STELE_LIBRARIES})

foreach(library IN ITEMS stele_shared stele_static)
    target_include_directories(${library} PUBLIC ${public_includes})
    set_target_properties(${library} PROPERTIES OUTPUT_NAME stele LINKER_LANGUAGE C)
endforeach()
add_library(stele::stele ALIAS stele_shared)
add_library(stele::stele_static ALIAS stele_static)
