#!/bin/bash
# ---
# description: Counts the records of a directory by a column of its index.tsv, exactly; a list counts for each of its values
# input:
#   type: object
#   properties:
#     path: { type: string, description: "A directory with an index.tsv, such as the issues of a repository" }
#     by: { type: string, description: "A column, such as labels; state by default" }
#     where: { type: string, description: "COLUMN=VALUE: counts only these, such as state=open" }
#   required: [path]
#   additionalProperties: false
# ---
path=${path%/}
table=$(cat "$path/index.tsv") || {
  echo "tally: name a directory that has an index.tsv; the README.md of its mount says which do" >&2
  exit 1
}
counts=$(printf '%s\n' "$table" | awk -F '\t' -v by="${by:-state}" -v where="$where" '
  NR == 1 {
    column = where
    sub(/=.*/, "", column)
    value = where
    sub(/^[^=]*=?/, "", value)
    for (i = 1; i <= NF; i++) { if ($i == by) at = i; if ($i == column) only = i }
    if (!at) missing = by
    if (where != "" && !only) missing = column
    if (missing != "") { print "tally: there is no column \"" missing "\"; there are: " $0 > "/dev/stderr"; exit 1 }
    next
  }
  {
    kept = where == ""
    if (!kept) { n = split($only, of, ","); for (i = 1; i <= n; i++) if (of[i] == value) kept = 1; if (n == 0 && value == "") kept = 1 }
    if (!kept) next
    total++
    n = split($at, of, ",")
    if (n == 0) of[n = 1] = "(none)"
    for (i = 1; i <= n; i++) count[of[i]]++
  }
  END {
    if (missing != "") exit 1
    for (each in count) print count[each] "\t" each
    print total + 0 "\tin all"
  }') || exit 1
printf '%s\n' "$counts" | sort -k 1,1nr -k 2
