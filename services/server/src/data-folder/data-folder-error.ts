/** A folder that cannot be used. Its message is one line that says what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}
