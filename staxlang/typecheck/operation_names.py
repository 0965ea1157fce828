"""The names of `stax.*` that are operations: rows of the table, functions of the standard library. By tools/build_stub.py."""

OPERATION_NAMES: frozenset[str] = frozenset((
    "absolute adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d add all allclose alpha_dropout angle any "
    "append apply_along_axis apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition "
    "argsort argwhere array array_equal array_equiv array_split asarray asarray_chkfinite atleast_1d atleast_2d atleast_3d average "
    "avg_pool1d avg_pool2d avg_pool3d bartlett batch_norm binary_cross_entropy binary_cross_entropy_with_logits bincount bitwise_and "
    "bitwise_count bitwise_or bitwise_xor blackman block broadcast_shapes broadcast_to cbrt ceil celu chebval chebvander cho_factor "
    "cho_solve cholesky choose clip column_stack concatenate cond condition_number conjugate conv1d conv2d conv3d conv_transpose1d "
    "conv_transpose2d convolve copy copysign corrcoef correlate cos cosh cosine_embedding_loss cosine_similarity count_nonzero cov "
    "cross cross_entropy cumprod cumsum degrees delete det diag diag_indices diag_indices_from diagflat diagonal diff digitize divide "
    "divmod dot dropout dstack dtype ediff1d eig eigh eigvals eigvalsh einsum elu embedding empty empty_like equal erf erfc exp exp2 "
    "expand_dims expm expm1 eye fabs finfo fix flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod focal_loss "
    "frexp frexp_exponent frexp_mantissa fromfunction full full_like gate gaussian_nll_loss gcd gelu geomspace glu gradient greater "
    "greater_equal group_norm hamming hanning hard_sigmoid hard_silu hardshrink hardtanh heaviside hermeval hermevander hermval "
    "hermvander hinge_embedding_loss hinge_loss histogram histogram2d histogram_bin_edges histogramdd hstack huber_loss hypot i0 "
    "identity iinfo imag indices inner insert instance_norm interp interpolate intersect1d inv invert isclose iscomplex iscomplexobj "
    "isfinite isin isinf isnan isneginf isposinf isreal isrealobj ix_ kaiser kl_div kron l1_loss lagval lagvander layer_norm lcm ldexp "
    "leaky_relu left_shift legval legvander less less_equal lexsort linear linspace local_response_norm log log10 log1p log2 "
    "log_cosh_loss log_sigmoid log_softmax logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace logsumexp lstsq "
    "lu lu_factor lu_solve margin_ranking_loss matmul matrix_norm matrix_power matrix_rank matvec max max_pool1d max_pool2d max_pool3d "
    "maximum mean median meshgrid min minimum mish modf moveaxis mse_loss multi_dot multi_head_attention multi_margin_loss "
    "multilabel_soft_margin_loss multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin "
    "nanpercentile nanprod nanquantile nanstd nansum nanvar ndim negative nextafter nll_loss nonzero norm normalize not_equal one_hot "
    "ones ones_like outer packbits pad pairwise_distance partition percentile piecewise pinv pixel_shuffle pixel_unshuffle "
    "poisson_nll_loss poly polyadd polyder polydiv polyfit polyint polymul polysub polyval positive power prelu prod ptp qr quantile "
    "radians ravel ravel_multi_index real reciprocal relu relu6 remainder repeat reshape resize result_type right_shift rint rms_norm "
    "roll roots rot90 rotary_embedding round scaled_dot_product_attention searchsorted select selu setdiff1d setxor1d shape sigmoid "
    "sign signbit silu sin sinc sinh size slogdet smooth_l1_loss soft_margin_loss softmax softmin softplus softshrink softsign solve "
    "solve_triangular sort sort_complex spacing split sqrt square squeeze stack std subtract sum svd svdvals swapaxes swiglu take "
    "take_along_axis tan tanh tanhshrink tensordot tensorinv tensorsolve threshold tile trace transpose trapezoid tri tril tril_indices "
    "tril_indices_from trim_zeros triplet_margin_loss triu triu_indices triu_indices_from trunc union1d unique unique_all unique_counts "
    "unique_inverse unique_values unpackbits unravel_index unstack unwrap vander var vdot vecdot vecmat vector_norm vstack where zeros "
    "zeros_like "
).split())  # fmt: skip
NAMESPACE_NAMES: dict[str, tuple[str, ...]] = {
    "fft": tuple((
        "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2 fftfreq rfftfreq fftshift ifftshift"
    ).split()),
    "random": tuple((
        "geometric rayleigh weibull pareto power triangular rademacher maxwell student_t wald gamma chisquare f beta dirichlet "
        "poisson binomial negative_binomial multinomial vonmises orthogonal ball key split fold_in bits uniform bernoulli normal "
        "lognormal truncated_normal multivariate_normal exponential laplace cauchy gumbel logistic categorical integers "
        "permutation shuffle choice"
    ).split()),
}  # fmt: skip
