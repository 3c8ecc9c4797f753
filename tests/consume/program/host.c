/* SPDX-License-Identifier: Apache-2.0
 * Copyright The partita authors
 *
 * A C11 host: the C ABI's header is C, and its library links and loads. */
#if __has_include(<partita/partita.h>)
#include <partita/partita.h>
#elif __has_include(<partita.h>)
#include <partita.h>
#endif

int main(void) { return 0; }
