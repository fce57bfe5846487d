# SPDX-License-Identifier: Apache-2.0
# Finds libelf and libdw of elfutils: Elfutils::Elfutils. Installed beside steleConfig.cmake, for
# users of the static library.
include(${CMAKE_CURRENT_LIST_DIR}/find_files.cmake)
find_files(Elfutils elfutils/libdw.h dw elf)
