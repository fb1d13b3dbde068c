/** A Markdown table, aligned as the formatter wants it. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [header = [], ...body] = rows
  const widths = header.map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  return [header, rule, ...body].map((row) => line(row, widths)).join('\n')
}

function line(row: readonly string[], widths: readonly number[]): string {
  return `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
}
