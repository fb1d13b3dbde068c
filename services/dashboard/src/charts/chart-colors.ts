/** The three colours of the charts, which are those of the token classes. */
export type ChartColor = 'input' | 'cached' | 'output'

type Classes = Readonly<Record<ChartColor, string>>

/** Written out: the style sheet has the classes that stand in a file as a whole. */
export const strokes: Classes = {
  input: 'stroke-input',
  cached: 'stroke-cached',
  output: 'stroke-output',
}
export const fills: Classes = {
  input: 'fill-input',
  cached: 'fill-cached',
  output: 'fill-output',
}
/** Those of a legend, which readers who have colours of their own need as much as the drawing's. */
export const backs: Classes = {
  input: 'bg-input forced-color-adjust-none',
  cached: 'bg-cached forced-color-adjust-none',
  output: 'bg-output forced-color-adjust-none',
}
