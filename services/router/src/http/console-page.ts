import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { nothingAtPath } from "@gatehouse/errors";
import type { RequestHandler } from "express";
import { type ConsoleFile, type ConsoleFiles, consoleEncodings, type ConsoleEncoding } from "./console-files.ts";
import type { Reject } from "./reject.ts";

const prefix = "/console";
const assetsPrefix = "assets/";
const nonceBytes = 16;

/** On every reply of the console, assets included. */
const commonHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/**
 * Serves the console from memory: assets by their hashed names, and the page at every other address below it, so that deep links
 * work. No part of a request reaches the file system.
 */
export function createConsolePage(
  /** Undefined where the console is not built or is disabled. */
  files: ConsoleFiles | undefined,
  serviceName: string,
  traceUrlTemplate: string | undefined,
  reject: Reject,
): RequestHandler {
  // Function, since `$` is special in a replacement string.
  const page = files?.page
    .replaceAll("%SERVICE_NAME%", () => escapeHtml(serviceName))
    .replaceAll("%TRACE_URL_TEMPLATE%", () => escapeHtml(traceUrlTemplate ?? ""));
  return (req, res) => {
    const name = req.path.slice(prefix.length + 1);
    const asset = files?.assets.get(name);
    if (asset !== undefined) return sendAsset(req, res, name, asset);
    if (page === undefined || name.startsWith(assetsPrefix)) {
      return reject(req, res, { error: nothingAtPath() });
    }
    return sendPage(res, page);
  };
}

/** Cached without limit: a hashed name never gets other content. */
function sendAsset(req: IncomingMessage, res: ServerResponse, name: string, asset: ConsoleFile): void {
  const encoding = chooseEncoding(req.headers["accept-encoding"], asset);
  const body = encoding === undefined ? asset.plain : (asset.encoded[encoding] ?? asset.plain);
  res.writeHead(200, {
    ...commonHeaders,
    "content-type": asset.contentType,
    "content-length": body.length,
    "cache-control": name.startsWith(assetsPrefix) ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    ...(encoding !== undefined && { "content-encoding": encoding }),
  });
  res.end(body);
}

/** Mantine creates style elements, which need a nonce per page. Scripts are allowed only as files of this host. */
function sendPage(res: ServerResponse, page: string): void {
  const nonce = randomBytes(nonceBytes).toString("base64url");
  const body = Buffer.from(page.replaceAll("%STYLE_NONCE%", nonce));
  res.writeHead(200, {
    ...commonHeaders,
    "content-type": "text/html; charset=utf-8",
    "content-length": body.length,
    "cache-control": "no-store",
    "content-security-policy": contentSecurityPolicy(nonce),
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-frame-options": "DENY",
  });
  res.end(body);
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function chooseEncoding(
  accepted: string | string[] | undefined,
  { encoded }: ConsoleFile,
): ConsoleEncoding | undefined {
  const offers = String(accepted ?? "")
    .toLowerCase()
    .split(",")
    .map((offer) => offer.trim())
    .filter((offer) => !/;\s*q=0(?:\.0*)?$/.test(offer))
    .map((offer) => offer.split(";", 1)[0]);
  const names = Object.keys(consoleEncodings) as ConsoleEncoding[];
  return names.find((name) => encoded[name] !== undefined && offers.includes(name));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
