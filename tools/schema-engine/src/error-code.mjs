const PRISMA_CODES = {
  "3D000": "P1003",
  "28P01": "P1000",
  28000: "P1000",
  "42P04": "P1009",
  ECONNREFUSED: "P1001",
  ENOTFOUND: "P1001",
  ETIMEDOUT: "P1001",
};

/**
 * Prisma code (`P1001` and so on) of an error of pg, of the system or of the engine; `undefined` when it has none.
 * @param {{ code?: unknown }} error
 * @returns {string | undefined}
 */
export function toPrismaCode({ code }) {
  return PRISMA_CODES[code] ?? (/^P\d{4}$/.test(String(code)) ? String(code) : undefined);
}
