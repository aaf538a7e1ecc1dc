/** Tools that are kept of one upstream, and the bytes of their JSON text. */
export const catalogueToolsMax = 5_000;
export const catalogueBytesMax = 16 * 1024 * 1024;
