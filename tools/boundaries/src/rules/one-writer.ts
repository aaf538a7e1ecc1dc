import type { Breach } from "../breach.ts";
import type { Repository, SourceFile } from "../repository.ts";

/** Names that open, announce or record outside of the service kernel, by package. */
const kernelNames: Readonly<Record<string, readonly string[]>> = {
  "@gatehouse/audit": ["AuditQueue", "createOutboxRelay", "recordEvent", "recordEvents"],
  "@gatehouse/database": ["ChangeFeed", "createResealer", "openDatabase"],
};

/** Files of services that may use one, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "services/chat/src/store/budget-events.ts": "records a budget's event in the ledger's transaction, which decides it",
};

/**
 * Rows of configuration are changed only by `write` of the service kernel, which announces and records as it commits. The type of
 * a service's database has no Prisma adapter; this rule keeps services from creating one, and from recording separately.
 */
export function* findOtherWriters({ sources }: Repository): Iterable<Breach> {
  for (const source of sources.filter(isOfService)) {
    for (const { specifier, names, typeOnly, line } of source.imports) {
      const forbidden = Object.hasOwn(kernelNames, specifier) ? (kernelNames[specifier] ?? []) : [];
      if (typeOnly || names === "all") continue;
      for (const name of names.filter((each) => forbidden.includes(each))) {
        yield {
          path: source.path,
          line,
          problem: `imports ${name}, which belongs to the service kernel`,
          fix: "Use what createService gives: its database, its feed, its audit queue, and write of its store.",
        };
      }
    }
  }
}

function isOfService({ path, role }: SourceFile): boolean {
  const [top, , folder] = path.split("/");
  return top === "services" && folder === "src" && role !== "development" && !(path in exceptions);
}
