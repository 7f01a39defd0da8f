/* What the tests in C and C++ share. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <slider_attacks.h>

/* Ends the program if this does not hold. */
#define CHECK(law) \
    do { \
        if (!(law)) { \
            fprintf(stderr, "%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #law, sla_error_message()); \
            exit(1); \
        } \
    } while (0)

#endif
