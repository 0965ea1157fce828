/* Calls the kernels of nn.stx. Built by examples/ahead_of_time.py; by hand: cc main.c -L. -lnn -Wl,-rpath,. */
#include <stdio.h>
#include <stdlib.h>
#include "nn.h"

static int failed(int32_t code) {
    if (code) fprintf(stderr, "%s\n", nn_message(code));
    return code != 0;
}

int main(void) {
    /* The extents of the results are asked for, then the results. */
    float x[2 * 3] = {1, 2, 3, 4, 5, 6}, w[3 * 2] = {1, 0, 0, 1, 1, -1}, b[2] = {0.5f, 0};
    int64_t xs[] = {2, 3}, ws[] = {3, 2}, bs[] = {2}, ys[2];
    if (failed(nn_layer_shapes(xs, ws, bs, ys))) return 1;
    float *y = malloc(sizeof *y * ys[0] * ys[1]);
    if (failed(nn_layer(x, xs, NULL, w, ws, NULL, b, bs, NULL, y, ys))) return 1;
    for (int64_t i = 0; i < ys[0]; i++) printf("%g %g\n", y[2 * i], y[2 * i + 1]);
    free(y);

    /* A matrix stored column by column: the strides say so, in elements. */
    double columns[3 * 2] = {1, 10, 2, 20, 3, 30}, z[2 * 3], means[2];
    int64_t cs[] = {2, 3}, strides[] = {1, 2}, ms[] = {2};
    if (failed(nn_normalize(columns, cs, strides, 1e-12, z, cs, means, ms))) return 1;
    for (int i = 0; i < 2; i++) printf("%.4f %.4f %.4f, mean %g\n", z[3 * i], z[3 * i + 1], z[3 * i + 2], means[i]);

    /* What does not fit is an error, and nothing is read or written. */
    printf("%s\n", nn_message(nn_layer(x, xs, NULL, w, xs, NULL, b, bs, NULL, z == NULL ? NULL : x, ys)));
    return 0;
}
