/* Every operator, sorted by name: X(name). Makes the declarations, the array and the tests. */
/* clang-format off */
/* clang-format on */
