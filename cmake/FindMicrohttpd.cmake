# SPDX-License-Identifier: Apache-2.0
# Finds GNU libmicrohttpd: Microhttpd::Microhttpd. Only the command needs it.
include(${CMAKE_CURRENT_LIST_DIR}/find_files.cmake)
find_files(Microhttpd microhttpd.h microhttpd)
