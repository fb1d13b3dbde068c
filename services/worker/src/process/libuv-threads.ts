/** libuv's pool serves decoding, sampling and files; its default of 4 threads is too few. */
export const LIBUV_THREADS = '16'
