# SPDX-License-Identifier: Apache-2.0
# Finds libzstd: Zstd::Zstd. Installed beside steleConfig.cmake, for users of the static library.
include(${CMAKE_CURRENT_LIST_DIR}/find_files.cmake)
find_files(Zstd zstd.h zstd)
