# Reports and the leaderboard as tidy tables.

vb_report <- function(id, version = NULL, url = NULL, token = NULL) {
  url <- site_url(url %||% if (inherits(id, c("vb_submission", "vb_status"))) id$url)
  id <- id_of(id)
  query <- if (is.null(version)) list() else list(version = version)
  answer <- get_json(url, paste0("/submissions/", id, "/report"), key_for(url, id, token), query)
  titles <- tryCatch(board_page(url, list(suite = answer$suite$id))$columns, vecboard_error = function(error) list())
  keys <- sub("\\..*$", "", column(titles, "key", ""))
  # Two columns of a task, one for each mode, may have titles that name it.
  titles <- stats::setNames(sub(", (fixed|fine-tuned)$", "", column(titles, "title", "")), keys)[!duplicated(keys)]
  about <- list(id = id, name = answer$vectors$name, page = paste0(url, "/r/", id), titles = titles)
  structure(c(about, answer), class = "vb_report")
}

as.data.frame.vb_report <- function(x, row.names = NULL, optional = FALSE, ...) {
  measured <- lapply(x$results, function(one) {
    reduction <- 100 * or_na(one$relative_error_reduction)
    data.frame(
      id = x$id, name = x$name, task = one$task, mode = or_na(one$mode, NA_character_), metric = one$metric,
      score = one$score, score_low = end_of(one$interval, 1), score_high = end_of(one$interval, 2),
      score_sd = or_na(one$sd), seeds = one$seeds, n = one$n, tokens_known_fraction = one$coverage$tokens,
      types_known_fraction = one$coverage$types,
      baseline_score = or_na(one$baseline), error_reduction_percent = reduction,
      error_reduction_low_percent = 100 * end_of(one$relative_error_reduction_interval, 1),
      error_reduction_high_percent = 100 * end_of(one$relative_error_reduction_interval, 2), reason = NA_character_
    )
  })
  missing <- lapply(x$unavailable, function(one) {
    row <- data.frame(
      id = x$id, name = x$name, task = one$task, mode = or_na(one$mode, NA_character_), metric = NA_character_
    )
    row[c(
      "score", "score_low", "score_high", "score_sd", "seeds", "n", "tokens_known_fraction", "types_known_fraction",
      "baseline_score", "error_reduction_percent", "error_reduction_low_percent", "error_reduction_high_percent"
    )] <- NA_real_
    row$reason <- one$reason
    row
  })
  rows <- bind(c(measured, missing))
  rows$title <- unname(x$titles[rows$task])
  rows[c("id", "name", "task", "title", setdiff(names(rows), c("id", "name", "task", "title")))]
}

# Against the baseline of as many dimensions and, if the report has them, as used.
means_of <- function(x) {
  of_size <- means_in(x$aggregates)
  if (is.null(x$as_used)) of_size else rbind(of_size, means_in(x$as_used, ", as used"))
}

means_in <- function(means, of = "") {
  names <- c(overall = "overall", fixed = "fixed", fine_tuned = "fine-tuned")
  bind(lapply(names(names), function(name) {
    interval <- means$intervals[[name]]
    data.frame(
      mean = paste0(names[[name]], of), error_reduction_percent = 100 * or_na(means[[name]]),
      low_percent = 100 * end_of(interval, 1), high_percent = 100 * end_of(interval, 2),
      reason = or_na(means$reasons[[name]], NA_character_)
    )
  }))
}

print.vb_report <- function(x, ...) {
  cat(x$name, "\n", x$page, "\n", sep = "")
  cat(
    x$suite$id, " version ", x$suite$version, "; ", format(x$vectors$words, big.mark = ",", decimal.mark = "."), " words of ",
    x$vectors$dimensions, " dimensions, ", x$vectors$language, "\n\n",
    sep = ""
  )
  means <- means_of(x)
  cat("Mean relative error reduction against the baseline:\n")
  for (i in seq_len(nrow(means))) {
    one <- means[i, ]
    cat(sprintf("  %-19s %9s", one$mean, percent(one$error_reduction_percent)))
    if (!is.na(one$low_percent)) cat(sprintf(" (95 %% interval %+.2f to %+.2f)", one$low_percent, one$high_percent))
    if (is.na(one$error_reduction_percent) && !is.na(one$reason)) cat(" ", one$reason)
    cat("\n")
  }
  cat(
    length(x$results), " scores, and ", length(x$unavailable), " reasons why there is none; ",
    "as.data.frame() has them.\n",
    sep = ""
  )
  for (warning in x$vectors$warnings) cat("Warning: ", warning$message, "\n", sep = "")
  invisible(x)
}

plot.vb_report <- function(x, ...) {
  rows <- as.data.frame(x)
  rows <- rows[!is.na(rows$error_reduction_percent), ]
  title <- ifelse(is.na(rows$title), rows$task, rows$title)
  forest(
    paste0(title, ", ", rows$mode), rows$error_reduction_percent, rows$error_reduction_low_percent,
    rows$error_reduction_high_percent, "Relative error reduction (%)", x$name
  )
  invisible(x)
}

board_page <- function(url, query) get_json(url, "/leaderboard", query = query)

vb_board <- function(suite = NULL, sort = NULL, ..., url = NULL) {
  url <- site_url(url)
  query <- Filter(Negate(is.null), list(suite = suite, sort = sort, ...))
  names(query) <- gsub("_", "-", names(query))
  page <- board_page(url, query)
  entries <- page$entries
  while (!is.null(page$`next`)) {
    page <- board_page(url, c(query, list(after = page$`next`)))
    entries <- c(entries, page$entries)
  }
  board <- list(
    suite = page$suite, sort = page$sort, ranked_by = page$ranked_by, columns = columns_of(page$columns),
    entries = entries_of(entries), records = entries, url = url
  )
  structure(board, class = "vb_board")
}

# Scores are fractions where the site shows per cents; other scores, such as correlations, are in their own unit.
columns_of <- function(columns) {
  data.frame(
    key = column(columns, "key", ""), title = column(columns, "title", ""), group = column(columns, "group", ""),
    kind = column(columns, "kind", ""), better = column(columns, "better", ""),
    unit = ifelse(column(columns, "unit", "") == "%", "fraction", "own"),
    smallest_detectable_difference = column(columns, "detectable", 0),
    detectable_after_correction = column(columns, "detectable_corrected", 0)
  )
}

entries_of <- function(entries) {
  rank <- function(i) vapply(entries, function(entry) as.numeric(end_of(entry$rank, i)), 0)
  data.frame(
    id = column(entries, "id", ""), name = column(entries, "name", ""), rank_best = rank(1), rank_worst = rank(2),
    baseline = column(entries, "baseline", NA), language = column(entries, "language", ""),
    track = column(entries, "track", ""),
    corpus = column(entries, "corpus", ""), algorithm = column(entries, "algorithm", ""),
    open_vocabulary = column(entries, "open_vocabulary", NA), words = column(entries, "words", 0),
    dimensions = column(entries, "dimensions", 0), finished = column(entries, "finished", "")
  )
}

as.data.frame.vb_board <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- x$entries
  for (name in c("overall", "fixed", "fine-tuned", "overall-as-used", "fixed-as-used", "fine-tuned-as-used")) {
    if (!name %in% x$columns$key) next
    base <- paste0(gsub("-", "_", name), "_error_reduction")
    values <- values_of(x, name)
    for (i in 1:3) rows[[paste0(base, c("", "_low", "_high")[i], "_percent")]] <- 100 * values[[i]]
  }
  rows
}

# A column's scores, and the lower and upper ends of their intervals.
values_of <- function(x, column) {
  end <- function(i) vapply(x$records, function(one) as.numeric(end_of(one$intervals[[column]], i)), 0)
  list(vapply(x$records, function(one) or_na(one$scores[[column]]), 0), end(1), end(2))
}

print.vb_board <- function(x, ...) {
  cat("Board of ", x$suite$id, " version ", x$suite$version, ": ", nrow(x$entries), " entries", sep = "")
  cat(", ranked by ", x$ranked_by, "\n", sep = "")
  rows <- as.data.frame(x)
  best <- ifelse(is.na(rows$rank_best), "-", ifelse(
    rows$rank_best == rows$rank_worst, rows$rank_best, paste0(rows$rank_best, " to ", rows$rank_worst)
  ))
  shown <- data.frame(rank = best, name = rows$name, id = ifelse(is.na(rows$id), "-", rows$id))
  if (!is.null(rows$overall_error_reduction_percent)) shown$overall <- percent(rows$overall_error_reduction_percent)
  print(shown, row.names = FALSE, right = FALSE)
  invisible(x)
}

plot.vb_board <- function(x, column = x$ranked_by, ...) {
  about <- x$columns[x$columns$key == column, ]
  if (!nrow(about)) refuse("unknown-column", "The board has no column '", column, "'; x$columns$key lists them.")
  factor <- if (about$unit == "fraction") 100 else 1
  values <- lapply(values_of(x, column), function(value) factor * value)
  forest(x$entries$name, values[[1]], values[[2]], values[[3]], axis_of(about), x$suite$id)
  invisible(x)
}

axis_of <- function(about) {
  what <- if (about$kind == "reduction") ", relative error reduction" else ""
  paste0(about$title, what, if (about$unit == "fraction") " (%)" else "")
}

vb_scores <- function(suite = NULL, ..., url = NULL) {
  board <- if (inherits(suite, "vb_board")) suite else vb_board(suite, ..., url = url)
  about <- board$columns
  rows_of(board$records, blank = list(name = ""), make = function(entry) {
    cell <- function(what, kind) {
      vapply(about$key, function(key) or_na(entry[[what]][[key]], kind), kind, USE.NAMES = FALSE)
    }
    ends <- lapply(1:2, function(i) {
      vapply(about$key, function(key) as.numeric(end_of(entry$intervals[[key]], i)), 0, USE.NAMES = FALSE)
    })
    data.frame(
      id = or_na(entry$id, NA_character_), name = entry$name, column = about$key, title = about$title,
      group = about$group, kind = about$kind, unit = about$unit, better = about$better,
      score = cell("scores", NA_real_), score_low = ends[[1]], score_high = ends[[2]],
      known_fraction = cell("coverage", NA_real_), mark = cell("marks", NA_character_),
      reason = cell("blank", NA_character_)
    )
  })
}
