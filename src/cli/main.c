/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point of the command. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_execute(argc, argv);
}
