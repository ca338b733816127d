# Vectors as a matrix, neighbours, comparisons and association tests.

ROWS_PER_READ <- 10000L

vb_vectors <- function(id, words = NULL, most = Inf, url = NULL) {
  if (is.character(id) && length(id) == 1 && file.exists(id)) {
    return(read_vectors(id, words, most))
  }
  id <- id_of(id)
  path <- tempfile("vecboard-", fileext = ".txt.gz")
  on.exit(unlink(path))
  if (grepl("-", id, fixed = TRUE)) { # ids of published vectors have hyphens, those of a site's entries have none
    run_python(c("-m", "vecboard", "public", id, "--save", path))
    return(read_vectors(path, words, most))
  }
  url <- site_url(url)
  request <- httr2::request(paste0(url, "/s/", id, "/vectors"))
  response <- perform(httr2::req_timeout(request, 3600), accept = 404L, path = path)
  if (httr2::resp_status(response) == 404) {
    refuse(
      "not-offered", "The site does not offer the vectors of ", id, " for download: their owner has not allowed it, ",
      "or they ship without their file. Ask the owner, whom the report names, or use published vectors, such as ",
      "vb_vectors(\"glove-6b-50d\")."
    )
  }
  read_vectors(path, words, most)
}

# A text file of vectors, plain or gzipped, with or without word2vec's header.
read_vectors <- function(path, words = NULL, most = Inf) {
  file <- gzfile(path, "rb")
  on.exit(close(file))
  first <- readLines(file, 1, warn = FALSE, encoding = "UTF-8")
  parts <- strsplit(trimws(first, "right"), "[ \t]")[[1]]
  numbers <- suppressWarnings(as.numeric(parts[-1]))
  if (length(parts) < 2 || anyNA(numbers)) {
    refuse(
      "format", basename(path), " is not a text file of vectors (a word and its numbers on each line). Write it as ",
      "text, in Python with gensim's save_word2vec_format, or get published vectors with vb_vectors(ID)."
    )
  }
  has_header <- length(parts) == 2 && grepl("^[0-9]+$", parts[[1]]) && grepl("^[0-9]+$", parts[[2]])
  dimensions <- if (has_header) as.integer(parts[[2]]) else length(parts) - 1L
  left <- if (has_header) character() else first
  wanted <- if (is.null(words)) NULL else enc2utf8(as.character(words))
  names <- list()
  blocks <- list()
  kept <- 0
  while (kept < most) {
    lines <- c(left, readLines(file, ROWS_PER_READ - length(left), warn = FALSE, encoding = "UTF-8"))
    left <- character()
    if (!length(lines)) break
    fields <- block_of(lines, dimensions, path)
    use <- if (is.null(wanted)) seq_along(fields$words) else which(fields$words %in% wanted)
    use <- utils::head(use, most - kept)
    kept <- kept + length(use)
    names[[length(names) + 1]] <- fields$words[use]
    blocks[[length(blocks) + 1]] <- fields$numbers[use, , drop = FALSE]
  }
  found <- do.call(rbind, blocks)
  rownames(found) <- unlist(names)
  found
}

# Words and numbers of whole lines, fast where every line has one word without blanks.
block_of <- function(lines, dimensions, path) {
  lines <- sub("[ \t\r]+$", "", lines[validUTF8(lines)]) # words that are not UTF-8 are left out, as on a site
  lines <- lines[nzchar(lines)]
  bytes <- rawConnection(charToRaw(paste(lines, collapse = "\n"))) # a text connection would translate the words
  on.exit(close(bytes))
  kinds <- c(list(""), rep(list(0), dimensions))
  fields <- tryCatch(
    scan(
      bytes, what = kinds, sep = " ", quote = "", comment.char = "", na.strings = character(), multi.line = FALSE,
      encoding = "UTF-8", quiet = TRUE
    ),
    error = function(error) NULL,
    warning = function(warning) NULL # the last line is too short
  )
  if (is.null(fields)) {
    return(block_with_blanks(lines, dimensions, path))
  }
  list(words = fields[[1]], numbers = do.call(cbind, fields[-1]))
}

# The same for any lines: a word may contain blanks; the numbers are the last fields.
block_with_blanks <- function(lines, dimensions, path) {
  parts <- strsplit(lines, "[ \t]")
  few <- which(lengths(parts) <= dimensions)
  if (length(few)) {
    found <- length(parts[[few[[1]]]]) - 1
    refuse("wrong-field-count", "A line of ", basename(path), " has ", found, " numbers, not ", dimensions, ".")
  }
  numbers <- vapply(parts, function(part) part[(length(part) - dimensions + 1):length(part)], character(dimensions))
  numbers <- suppressWarnings(as.numeric(numbers))
  if (anyNA(numbers)) {
    refuse("not-a-number", "A line of ", basename(path), " has something else than ", dimensions, " numbers.")
  }
  words <- vapply(parts, function(part) paste(part[seq_len(length(part) - dimensions)], collapse = " "), "")
  list(words = words, numbers = matrix(numbers, ncol = dimensions, byrow = TRUE))
}

vb_neighbours <- function(id, words, top = 10, url = NULL, token = NULL) {
  url <- site_url(url)
  id <- id_of(id)
  query <- list(words = paste(words, collapse = ","), top = top)
  answer <- get_json(url, paste0("/entries/", id, "/neighbours"), key_for(url, id, token), query)
  structure(answer, class = "vb_neighbours")
}

as.data.frame.vb_neighbours <- function(x, row.names = NULL, optional = FALSE, ...) {
  bind(lapply(x$words, function(one) {
    if (!length(one$neighbours)) {
      return(data.frame(
        id = x$entry, name = x$name, word = one$word, rank = NA_integer_, neighbour = NA_character_, cosine = NA_real_,
        reason = one$reason
      ))
    }
    data.frame(
      id = x$entry, name = x$name, word = one$word, rank = seq_along(one$neighbours),
      neighbour = column(one$neighbours, "word", ""), cosine = column(one$neighbours, "cosine", 0),
      reason = NA_character_
    )
  }))
}

print.vb_neighbours <- function(x, ...) {
  cat("Nearest words in ", x$name, ", among ", x$among, ", by cosine:\n", sep = "")
  for (one in x$words) {
    near <- vapply(one$neighbours, function(near) sprintf("%s %.3f", near$word, near$cosine), "")
    cat(one$word, ": ", if (length(near)) paste(near, collapse = ", ") else one$reason, "\n", sep = "")
  }
  invisible(x)
}

plot.vb_neighbours <- function(x, ...) {
  rows <- as.data.frame(x)
  rows <- rows[!is.na(rows$cosine), ]
  if (!nrow(rows)) refuse("nothing", "No word has neighbours to plot.")
  order <- rev(seq_len(nrow(rows)))
  graphics::dotchart(
    rows$cosine[order], rows$neighbour[order],
    groups = factor(rows$word[order], unique(rows$word[order])), xlab = "Cosine", main = x$name
  )
  invisible(x)
}

vb_compare <- function(ids, reference = NULL, url = NULL, token = NULL) {
  url <- site_url(url)
  ids <- ids_of(ids)
  query <- list(e = ids)
  if (!is.null(reference)) query$ref <- LETTERS[match(id_of(reference), ids)]
  answer <- get_json(url, "/compare", token_for(url, token), query)
  structure(answer, class = "vb_compare")
}

as.data.frame.vb_compare <- function(x, row.names = NULL, optional = FALSE, ...,
                                     what = c("differences", "scores", "correlations")) {
  what <- match.arg(what)
  keys <- column(x$columns, "key", "")
  titles <- stats::setNames(column(x$columns, "title", ""), keys)
  groups <- stats::setNames(column(x$columns, "group", ""), keys)
  names <- stats::setNames(column(x$entries, "name", ""), column(x$entries, "id", ""))
  of_task <- function(one) {
    data.frame(
      id = or_na(one$entry, ""), name = named(names, one$entry), task = or_na(one$task, ""),
      title = or_na(one$title, ""),
      pairs = or_na(one[["pairs"]]), common_pairs = or_na(one$common_pairs), correlation = or_na(one[["correlation"]]),
      p = or_na(one[["p"]]), p_corrected = or_na(one$p_corrected), significant = or_na(one$significant, NA)
    )
  }
  of_column <- function(one) {
    row <- data.frame(
      id = or_na(one$entry, ""), name = named(names, one$entry), column = or_na(one$column, ""),
      title = named(titles, one$column), group = named(groups, one$column)
    )
    value <- if (what == "scores") "score" else "difference"
    row[[paste0(value, "_percent")]] <- 100 * or_na(one[[value]])
    row$low_percent <- 100 * end_of(one$interval, 1)
    row$high_percent <- 100 * end_of(one$interval, 2)
    if (what == "differences") {
      row$against_id <- or_na(one$against, "")
      row$against <- named(names, one$against)
      row$p <- or_na(one[["p"]])
      row$p_corrected <- or_na(one$p_corrected)
      row$significant <- or_na(one$significant, NA)
    }
    row$reason <- or_na(one$reason, NA_character_)
    row
  }
  rows_of(x[[what]], if (what == "correlations") of_task else of_column)
}

print.vb_compare <- function(x, ...) {
  cat("Comparison of ", length(x$entries), " entries of ", x$suite, "\n", sep = "")
  for (one in x$entries) cat("  ", one$name, " (", one$id, ")\n", sep = "")
  if (!is.null(x$verdict)) {
    cat(x$verdict$title, "\n", sep = "")
    for (line in x$verdict$details) cat("  ", line, "\n", sep = "")
    cat(x$verdict$note, "\n", sep = "")
  }
  cat(x$address, "\n", sep = "")
  invisible(x)
}

plot.vb_compare <- function(x, ...) {
  rows <- as.data.frame(x)
  rows <- rows[rows$against_id == x$reference & !is.na(rows$difference_percent), ]
  label <- paste0(rows$title, ", ", rows$group, if (length(x$entries) > 2) paste0(", ", rows$name))
  forest(
    label, rows$difference_percent, rows$low_percent, rows$high_percent,
    "Difference of error reductions (percentage points)", paste("Against", rows$against[1])
  )
  invisible(x)
}

vb_associations <- function(ids, test, url = NULL, token = NULL) {
  url <- site_url(url)
  ids <- ids_of(ids)
  answer <- get_json(url, "/associations", token_for(url, token), list(e = ids, test = test))
  structure(answer, class = "vb_associations")
}

as.data.frame.vb_associations <- function(x, row.names = NULL, optional = FALSE, ..., what = c("entries", "words")) {
  what <- match.arg(what)
  if (what == "words") {
    return(rows_of(x$entries, function(one) {
      rows_of(names(one$single), blank = "", make = function(word) {
        single <- one$single[[word]]
        data.frame(id = one$id, name = one$name, word = word, d = or_na(single[["d"]]), p = or_na(single[["p"]]))
      })
    }))
  }
  bind(lapply(x$entries, function(one) {
    # Absent fields are asked for by their whole name, as $ would take 'problem' for 'p'.
    data.frame(
      id = one$id, name = one$name, test = or_na(x$test, NA_character_), d = or_na(one[["d"]]),
      d_low = end_of(one$interval, 1), d_high = end_of(one$interval, 2), p = or_na(one[["p"]]),
      missing_words = length(one$missing), reason = one[["problem"]] %||% or_na(one[["reason"]], NA_character_)
    )
  }))
}

print.vb_associations <- function(x, ...) {
  targets <- column(x$targets, "name", "")
  attributes <- column(x$attributes, "name", "")
  cat("Are ", targets[1], ", rather than ", targets[2], ", nearer to ", attributes[1], " than to ", sep = "")
  cat(attributes[2], "?\n", sep = "")
  rows <- as.data.frame(x)
  for (i in seq_len(nrow(rows))) {
    one <- rows[i, ]
    cat("  ", one$name, ": ", sep = "")
    if (is.na(one$d)) {
      cat(one$reason, "\n", sep = "")
    } else {
      between <- if (is.na(one$d_low)) "" else sprintf(" (95 %% interval %.2f to %.2f)", one$d_low, one$d_high)
      unknown <- if (one$missing_words) paste0("; ", one$missing_words, " words unknown") else ""
      cat(sprintf("d = %.2f%s, p = %.3g%s\n", one$d, between, one$p, unknown))
    }
  }
  cat(x$caution, "\n", sep = "")
  invisible(x)
}

plot.vb_associations <- function(x, ...) {
  rows <- as.data.frame(x)
  forest(rows$name, rows$d, rows$d_low, rows$d_high, "d", or_na(x$test, "Association test"))
  invisible(x)
}
