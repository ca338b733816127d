skip_without_site <- function() skip_if(Sys.getenv("VECBOARD_URL") == "", "VECBOARD_URL names no site")

skip_without_clone <- function() skip_if(Sys.getenv("VECBOARD_FOLDER") == "", "VECBOARD_FOLDER names no clone")

# The condition that an expression ends with; its code is part of the interface.
error_in <- function(expression) tryCatch({ expression; NULL }, vecboard_error = identity)

expect_refused <- function(expression, code, message = "") {
  error <- error_in(expression)
  expect_s3_class(error, "vecboard_error")
  expect_equal(error$code, code)
  expect_match(conditionMessage(error), message, fixed = TRUE)
}

plotted <- function(x, ...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(x, ...)
}

example_vectors <- function() {
  path <- Sys.getenv("VECBOARD_EXAMPLE_VECTORS")
  skip_if(path == "", "VECBOARD_EXAMPLE_VECTORS names no file")
  path
}
