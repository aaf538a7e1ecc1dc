export { encodeUtf8 } from "./encode-utf8.ts";
