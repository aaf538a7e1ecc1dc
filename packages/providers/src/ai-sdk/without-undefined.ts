/** The object without its undefined members, for types whose members are optional and never undefined. */
export function withoutUndefined<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
