/** Loaded into the server under test: a signal makes it collect its garbage, which is no leak. */
process.on('SIGUSR2', () => {
  globalThis.gc?.()
})
