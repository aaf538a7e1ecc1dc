import { join, relative } from "node:path";

interface BundleFolders {
  readonly from: string;
  /** Folder of the bundle; all of its files are directly in it. */
  readonly to: string;
}

const moduleUrl = /\bimport\.meta\.url\b/g;
const otherProperty = /\bimport\.meta\b(?!\.url\b)/;

/**
 * Code of a module for a bundle: `import.meta.url` becomes the module's former address, relative to the bundle. Modules of the
 * program's package count as moved into the bundle, so that they find other entries of the program.
 * @throws Error where the code uses another property of `import.meta`, which would be the bundle's.
 */
export function keepPlaces(code: string, path: string, { from, to }: BundleFolders): string {
  if (otherProperty.test(code)) throw new Error(`${path} uses import.meta in another way than import.meta.url.`);
  const inPackage = relative(from, path);
  const place = inPackage.startsWith("..") ? relative(to, path) : inPackage;
  const url = encodeURI(place.startsWith(".") ? place : `./${place}`);
  return code.replaceAll(moduleUrl, `new URL(${JSON.stringify(url)}, import.meta.url).href`);
}

/** Folders `dist`, which is bundled, and `dist/bundle`, of a package. @param packageFolder absolute path */
export function bundleFolders(packageFolder: string): BundleFolders {
  const from = join(packageFolder, "dist");
  return { from, to: join(from, "bundle") };
}
