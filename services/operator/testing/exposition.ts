/** Reads the text that Prometheus reads. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export class Exposition {
  readonly samples: readonly Sample[]
  /** Names and kinds by their headings, also of those without a sample. */
  readonly kinds: ReadonlyMap<string, string>

  constructor(text: string) {
    const lines = text.split('\n').filter((line) => line !== '')
    this.kinds = new Map(
      lines.flatMap((line) => {
        const [, name, kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
        return name === undefined || kind === undefined ? [] : [[name, kind] as const]
      }),
    )
    this.samples = lines.filter((line) => !line.startsWith('#')).map(sampleOf)
  }

  /** The one sample of a name with these labels among its own; undefined without one. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    if (found.length > 1) throw new Error(`${found.length} samples of ${name} fit`)
    return found[0]?.value
  }
}

function sampleOf(line: string): Sample {
  const [, name, labels = '', value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  if (name === undefined) throw new Error(`no sample: ${line}`)
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
    value: Number(value),
  }
}
