const personPrefix = "person:";

/** The name of an administrator who is a person and signs in with OpenID Connect; no admin key has one like it. */
export function personName(name: string): string {
  return `${personPrefix}${name}`;
}

export function isPersonName(name: string): boolean {
  return name.startsWith(personPrefix);
}

/** Who acts, as audit events name an administrator. */
export function adminActor(name: string): string {
  return isPersonName(name) ? name : `admin_key:${name}`;
}
