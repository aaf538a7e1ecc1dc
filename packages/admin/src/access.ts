/** Right that an operation needs, on a project or the whole gateway. */
export interface Access {
  readonly right: "read" | "write" | "administer";
  readonly scope: "project" | "gateway";
}

/** For every administrator of the project. */
export const readProject = { right: "read", scope: "project" } as const satisfies Access;
/** For editors and owners of the project. */
export const writeProject = { right: "write", scope: "project" } as const satisfies Access;
/** For owners of the project. */
export const administerProject = { right: "administer", scope: "project" } as const satisfies Access;
/** For every administrator of the whole gateway. */
export const readGateway = { right: "read", scope: "gateway" } as const satisfies Access;
/** For editors and owners of the whole gateway. */
export const writeGateway = { right: "write", scope: "gateway" } as const satisfies Access;
/** For owners of the whole gateway. */
export const administerGateway = { right: "administer", scope: "gateway" } as const satisfies Access;
