/** Answers of a test with something changed in all of them. */

/**
 * @param change what each value becomes, by the name of its field; undefined: it is left out
 */
export function changedAnswers<All extends object>(
  answers: All,
  change: (field: string, value: unknown) => unknown,
): All {
  const changed = Object.entries(answers).map(([name, answer]) => {
    return [
      name,
      (input: unknown) => JSON.parse(JSON.stringify(answer(input)), change) as unknown,
    ] as const
  })
  return Object.fromEntries(changed) as All
}
