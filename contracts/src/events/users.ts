/**
 * The events of the one stream `users`: who may use the dashboard, and what they may there. The
 * names and shapes are the storage format.
 *
 * No event says who somebody is. E-mail address, name and password are kept beside the log under
 * the id of the user, and can be erased there; the log says that there is a user, since when, and
 * who let them in.
 */
/** Of those who run the service; each may do all that those before it may. */
export const platformRoles = ['auditor', 'operator', 'owner'] as const

/** In an account. A member looks and chats, an owner has the keys and lets others in. */
export const accountRoles = ['member', 'owner'] as const
