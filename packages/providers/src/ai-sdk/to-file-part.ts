import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { JsonObject } from "@gatehouse/json";
import { asRecord } from "../exchange/json.ts";

/** Types of images by the extension of their address. */
const imageMediaTypes: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bmp: "image/bmp",
  gif: "image/gif",
  heic: "image/heic",
  heif: "image/heif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
};
const audioMediaTypes: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mpeg" };

/**
 * Addresses of images that a provider's API accepts: `any`; `typed`, those whose extension names the type, which the API requires
 * beside the address; `none`, images in the request alone.
 */
export type ImageAddresses = "any" | "typed" | "none";

/**
 * An image, sound or file of a user's message, or a text that names the problem. URLs are passed on for the provider to fetch;
 * the gateway fetches nothing.
 */
export function toFilePart(part: JsonObject, addresses: ImageAddresses): LanguageModelV4FilePart | string {
  switch (part.type) {
    case "image_url":
      return toImage(asRecord(part.image_url)?.url ?? part.image_url, addresses);
    case "input_audio":
      return toAudio(asRecord(part.input_audio));
    case "file":
      return toFile(asRecord(part.file));
    default:
      return `has a part of the unknown type '${String(part.type).slice(0, 64)}'`;
  }
}

function toImage(url: unknown, addresses: ImageAddresses): LanguageModelV4FilePart | string {
  if (typeof url !== "string") return "has an image without a url";
  if (url.startsWith("data:")) return fromDataUrl(url) ?? "has an image whose data URL is not base64";
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return "has an image whose url is neither http nor data";
  if (addresses === "none") return "has an image_url with an address; send the image as a data URL";
  const mediaType = imageTypeOf(new URL(url));
  if (mediaType === undefined && addresses === "typed") {
    const known = Object.keys(imageMediaTypes).join(", ");
    return `has an image_url whose type is not known: its path must end in one of ${known}, or be a data URL`;
  }
  return { type: "file", mediaType: mediaType ?? "image/*", data: { type: "url", url: new URL(url) } };
}

function imageTypeOf({ pathname }: URL): string | undefined {
  const extension = /\.([a-z]{3,4})$/.exec(pathname.toLowerCase())?.[1];
  return extension === undefined ? undefined : imageMediaTypes[extension];
}

function toAudio(audio: JsonObject | undefined): LanguageModelV4FilePart | string {
  const mediaType = audioMediaTypes[String(audio?.format)];
  if (typeof audio?.data !== "string" || mediaType === undefined) return "has audio without data in wav or mp3";
  return { type: "file", mediaType, data: { type: "data", data: audio.data } };
}

function toFile(file: JsonObject | undefined): LanguageModelV4FilePart | string {
  const part = typeof file?.file_data === "string" ? fromDataUrl(file.file_data) : undefined;
  if (part === undefined) return "has a file without file_data as a base64 data URL";
  return typeof file?.filename === "string" ? { ...part, filename: file.filename } : part;
}

/** Parses a data URL (RFC 2397), base64 only. */
function fromDataUrl(url: string): LanguageModelV4FilePart | undefined {
  const comma = url.indexOf(",");
  const [mediaType = "", ...parameters] = url.slice("data:".length, Math.max(comma, 0)).split(";");
  if (comma === -1 || mediaType === "" || !parameters.includes("base64")) return undefined;
  return { type: "file", mediaType, data: { type: "data", data: url.slice(comma + 1) } };
}
