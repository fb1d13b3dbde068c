/**
 * How long a conversation may be. The bounds are those of every format, because one conversation is
 * to be taken in all of them or in none. They only keep single requests from being a burden: what
 * bounds a caller first is the body and the context of the model, which has an error of its own.
 */

/** Bounds the messages or items of one request, before neighbours become one turn. */
export const TURNS_MAX = 4_096
/** Bounds the parts or blocks of one content. */
export const PARTS_MAX = 4_096
/** Bounds one text, in UTF-8. */
export const TEXT_BYTES_MAX = 8 * 1024 * 1024
