export interface GivenNameProps {
  readonly name: string
}

/** A name that somebody chose, in its own direction: two lines of it, and whole in its title. */
export function GivenName({ name }: GivenNameProps) {
  return (
    <bdi title={name} className="line-clamp-2">
      {name}
    </bdi>
  )
}
