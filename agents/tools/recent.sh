#!/bin/bash
# ---
# description: Lists the records of a directory that changed in the last days, newest first, by their paths
# input:
#   type: object
#   properties:
#     path: { type: string, description: "A directory with an index.tsv, such as the issues of a repository" }
#     days: { type: integer, minimum: 1, maximum: 36500, description: "How far back; 1 by default" }
#     limit: { type: integer, minimum: 1, maximum: 1000, description: "How many at most; 50 by default" }
#   required: [path]
#   additionalProperties: false
# ---
path=${path%/}
index=$path/index.tsv
table=$(cat "$index") || {
  echo "recent: name a directory that has an index.tsv; the README.md of its mount says which do" >&2
  exit 1
}
since=$(date -u -d "${days:-1} days ago" +%Y-%m-%dT%H:%M:%S)
# The first column names the record, in some indexes without its ending.
first=$(printf '%s\n' "$table" | sed -n 2p | cut -f 1)
suffix=
if [ -n "$first" ] && [ -f "$path/$first.md" ]; then suffix=.md; fi
rows=$(printf '%s\n' "$table" | awk -F '\t' -v since="$since" -v suffix="$suffix" -v dir="$path" '
  NR == 1 {
    for (i = 2; i <= NF; i++) if ($i ~ /^(updated|updated_at|last_edited_time|modified|published)$/) time = i
    if (!time) { print "recent: no column of " dir "/index.tsv says when a record changed; it has: " $0 > "/dev/stderr"; exit 1 }
    next
  }
  $time >= since {
    line = $time "\t" dir "/" $1 suffix
    for (i = 2; i <= NF; i++) if (i != time) line = line "\t" $i
    print line
  }') || exit 1
if [ -z "$rows" ]; then
  echo "nothing in $path changed since ${since}Z"
  exit 0
fi
sorted=$(printf '%s\n' "$rows" | sort -r)
printf '%s\n' "$sorted" | head -n "${limit:-50}"
count=$(printf '%s\n' "$sorted" | wc -l)
if [ "$count" -gt "${limit:-50}" ]; then echo "$((count - ${limit:-50})) more, all older; a higher limit shows them" >&2; fi
