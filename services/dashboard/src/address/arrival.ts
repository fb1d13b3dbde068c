/**
 * The query with which the browser came, as it was: the router reads numbers out of it, and writes
 * them back in its own way.
 */
export const arrivedWith = window.location.search
