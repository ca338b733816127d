# Uploading vectors and following their evaluation.

FINAL <- c("done", "failed", "rejected", "cancelled")
DETAILS <- c(
  "description", "authors", "language", "track", "trained_on_task_data", "licence", "corpus", "algorithm", "window", "iterations",
  "loss", "training_minutes", "tokens", "technical_notes", "visibility", "public_from",
  "offers_download", "member"
)
PACKED <- list(as.raw(c(0x1f, 0x8b)), as.raw(c(0x50, 0x4b, 0x03, 0x04)), charToRaw("PAR1"))
ROWS_AT_ONCE <- 5000L
READ_BYTES <- 2^20

vb_submit <- function(x, name, ..., url = NULL, token = NULL, progress = interactive()) {
  if (!is.character(name) || length(name) != 1 || is.na(name) || !nzchar(name)) {
    refuse("name", "The vectors need a name on the board, one text.")
  }
  details <- list(...)
  if (inherits(x, "vb_training")) details <- utils::modifyList(details_of(x), details)
  unknown <- setdiff(names(details), DETAILS)
  if (length(unknown) || (length(details) && is.null(names(details)))) {
    known <- paste(DETAILS, collapse = ", ")
    refuse("details", "Unknown detail ", paste(unknown, collapse = ", "), "; known are ", known, ".")
  }
  url <- site_url(url)
  folder <- tempfile("vecboard-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  files <- files_of(x, folder)
  body <- c(
    list(name = name),
    Filter(Negate(is.null), details),
    list(files = lapply(files, function(path) list(name = basename(path), bytes = file.size(path))))
  )
  key <- token_for(url, token)
  request <- httr2::req_body_json(request_to(url, "/uploads", key), body, digits = NA)
  upload <- json_of(perform(request, again = FALSE))
  secrets[[paste(url, upload$id)]] <- upload$token
  for (number in seq_along(files)) {
    send_file(url, upload, number, files[[number]], if (progress) basename(files[[number]]) else "")
  }
  finish <- httr2::req_method(request_to(url, paste0("/uploads/", upload$id, "/finish"), upload$token), "POST")
  answer <- json_of(perform(finish))
  structure(
    list(id = answer$id, name = answer$name, token = upload$token, page = paste0(url, "/s/", answer$id), url = url),
    class = "vb_submission"
  )
}

# Send a file in pieces. After a broken connection, the site knows how many bytes have arrived.
send_file <- function(url, upload, number, path, label) {
  size <- file.size(path)
  piece_bytes <- upload$piece_bytes %||% 2^23
  address <- paste0("/uploads/", upload$id)
  offset <- 0
  failures <- 0
  bar <- if (nzchar(label)) utils::txtProgressBar(0, size, style = 3, file = stderr()) else NULL
  if (!is.null(bar)) on.exit(close(bar))
  file <- file(path, "rb")
  on.exit(close(file), add = TRUE)
  while (offset < size) {
    seek(file, offset)
    piece <- readBin(file, "raw", min(piece_bytes, size - offset))
    request <- request_to(url, address, upload$token, list(file = number, offset = format(offset, scientific = FALSE)))
    request <- httr2::req_method(httr2::req_body_raw(request, piece, "application/octet-stream"), "PUT")
    end <- tryCatch(
      json_of(perform(request, again = FALSE, accept = 409L))$offset,
      vecboard_error = function(error) {
        failures <<- failures + 1
        is_passing <- error$code == "unreachable" || isTRUE(error$status %in% BUSY)
        if (!is_passing || failures > MOST_TRIES) stop(error)
        Sys.sleep(min(error$retry_after %||% 2^failures, MOST_WAIT))
        json_of(perform(request_to(url, address, upload$token)))$files[[number]]$offset
      }
    )
    if (end > offset) failures <- 0
    offset <- end
    if (!is.null(bar)) utils::setTxtProgressBar(bar, offset)
  }
}

# Paths of compressed files for the upload: matrices are written, plain files are packed.
files_of <- function(x, folder) {
  if (inherits(x, "vb_training")) {
    return(as.list(x$runs$file))
  }
  if (is.data.frame(x)) {
    refuse("data-frame", "A data frame is not a matrix; give as.matrix() of its numbers, with the words as row names.")
  }
  if (isS4(x)) x <- as.matrix(x)
  runs <- if (is.matrix(x)) list(x) else as.list(x)
  if (!length(runs)) refuse("no-file", "There is nothing to submit: give a matrix, a path, or a list of several runs.")
  lapply(seq_along(runs), function(i) {
    run <- runs[[i]]
    if (isS4(run)) run <- as.matrix(run)
    if (is.matrix(run)) {
      path <- file.path(folder, if (length(runs) > 1) paste0("run-", i, ".txt.gz") else "vectors.txt.gz")
      write_vectors(run, path)
      return(path)
    }
    if (!is.character(run) || length(run) != 1) {
      refuse("no-file", "Vectors are a numeric matrix with words as row names, a path, or a list of these (runs).")
    }
    if (!file.exists(run) || dir.exists(run)) refuse("no-file", "There is no file ", run, "; check its path.")
    packed(run, folder)
  })
}

packed <- function(path, folder) {
  first <- readBin(path, "raw", 4)
  if (any(vapply(PACKED, function(magic) identical(first[seq_along(magic)], magic), NA))) {
    return(path)
  }
  target <- file.path(folder, paste0(basename(path), ".gz"))
  source <- file(path, "rb")
  on.exit(close(source))
  sink <- gzfile(target, "wb", compression = 2)
  on.exit(close(sink), add = TRUE)
  while (length(block <- readBin(source, "raw", READ_BYTES))) writeBin(block, sink)
  target
}

# Write word2vec's text form, gzipped, in UTF-8. Numbers read back as the same float32 where the matrix holds float32
# numbers, and as the same double otherwise.
write_vectors <- function(x, path) {
  words <- check_vectors(x)
  file <- gzfile(path, "wb", compression = 2)
  on.exit(close(file))
  writeLines(paste(nrow(x), ncol(x)), file, useBytes = TRUE)
  for (start in seq(1, nrow(x), by = ROWS_AT_ONCE)) {
    rows <- start:min(start + ROWS_AT_ONCE - 1, nrow(x))
    block <- x[rows, , drop = FALSE]
    storage.mode(block) <- "double"
    single <- readBin(writeBin(as.vector(block), raw(), size = 4), "numeric", length(block), size = 4)
    shown <- sprintf(if (identical(single, as.vector(block))) "%.9g" else "%.17g", block)
    dim(shown) <- dim(block)
    lines <- do.call(paste, c(list(words[rows]), lapply(seq_len(ncol(shown)), function(j) shown[, j])))
    writeLines(lines, file, useBytes = TRUE)
  }
}

check_vectors <- function(x) {
  if (!is.numeric(x)) refuse("no-numbers", "The matrix holds ", typeof(x), ", not numbers.")
  words <- rownames(x)
  if (is.null(words)) refuse("no-words", "The matrix has no row names; set rownames(x) to the words, one per row.")
  words <- enc2utf8(words)
  broken <- which(is.na(words) | !nzchar(words) | !validUTF8(words))
  if (length(broken)) refuse("no-word", "Row ", broken[[1]], " has no word as its name; name it, or remove the row.")
  blank <- grep("[[:space:]]", words)
  if (length(blank)) {
    refuse(
      "blank-in-word", "The word '", words[[blank[[1]]]], "' (row ", blank[[1]], ") contains a blank, and in a text ",
      "file a blank ends the word. Replace blanks with underscores: ",
      "rownames(x) <- gsub(\"\\\\s+\", \"_\", rownames(x))."
    )
  }
  twice <- anyDuplicated(words)
  if (twice) {
    refuse("duplicate-word", "The word '", words[[twice]], "' names several rows (again row ", twice, "); keep one.")
  }
  odd <- which(!is.finite(x))
  if (length(odd)) {
    row <- (odd[[1]] - 1) %% nrow(x) + 1
    what <- ") has NA, NaN or an infinite number; remove the row."
    refuse("not-finite", "The vector of '", words[[row]], "' (row ", row, what)
  }
  words
}

vb_status <- function(x, url = NULL, token = NULL) {
  url <- site_url(url %||% if (inherits(x, "vb_submission")) x$url)
  id <- id_of(x)
  response <- perform(request_to(url, paste0("/submissions/", id), key_for(url, id, token)))
  answer <- json_of(response)
  about <- list(retry_after = retry_after(response, 5), page = paste0(url, "/s/", id), url = url)
  structure(c(answer, about), class = "vb_status")
}

vb_wait <- function(x, timeout = Inf, progress = interactive(), url = NULL, token = NULL) {
  started <- Sys.time()
  if (progress) on.exit(cat("\n", file = stderr()))
  repeat {
    status <- vb_status(x, url, token)
    if (progress) cat("\r", format(progress_of(status), width = 78), sep = "", file = stderr())
    if (status$state %in% FINAL) break
    waited <- as.numeric(Sys.time() - started, units = "secs")
    if (waited + status$retry_after > timeout) {
      refuse(
        "not-yet", "After ", round(waited), " seconds, ", status$id, " is ", status$state, " and continues. ",
        "Call vb_wait(\"", status$id, "\") again later."
      )
    }
    Sys.sleep(status$retry_after)
  }
  if (status$state != "done") {
    error <- status$error
    stop(vecboard_error(
      error$code %||% status$state, trimws(paste0(status$name, " was ", status$state, ". ", error$message %||% "")),
      field = error$field, line = error$line, word = error$word, state = status$state
    ))
  }
  vb_report(status, url = status$url, token = token)
}

progress_of <- function(status) {
  progress <- status$progress
  line <- sprintf("%3.0f %%, %s, %d of %d jobs done", 100 * progress$share, status$state, progress$done, progress$total)
  left <- progress$expected_seconds
  if (length(left) == 2) line <- sprintf("%s, %.0f to %.0f minutes left", line, left[[1]] / 60, ceiling(left[[2]] / 60))
  line
}

print.vb_submission <- function(x, ...) {
  cat("Submission ", x$id, ": ", x$name, "\n", x$page, "\n", sep = "")
  invisible(x)
}

print.vb_status <- function(x, ...) {
  cat(x$name, " (", x$id, "): ", progress_of(x), "\n", sep = "")
  for (warning in x$warnings) cat("Warning: ", warning$message, "\n", sep = "")
  if (!is.null(x$error)) cat("Error: ", x$error$message, "\n", sep = "")
  invisible(x)
}
