# SPDX-License-Identifier: Apache-2.0
# Finds libedit: Libedit::Libedit. Only the command needs it.
include(${CMAKE_CURRENT_LIST_DIR}/find_files.cmake)
find_files(Libedit editline/readline.h edit)
