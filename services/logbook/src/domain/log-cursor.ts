import { invalidArgument } from "@gatehouse/errors";

/** Where a page of a log ends: newest first, and among entries of one millisecond by id. */
export interface LogPosition {
  readonly atMs: number;
  readonly id: string;
}

/** A cursor, opaque to clients. */
export function encodePosition({ atMs, id }: LogPosition): string {
  return Buffer.from(`${atMs}.${id}`).toString("base64url");
}

const form = /^(\d{1,15})\.(\d{1,18})$/;

/** @throws GatewayError `invalid_argument` for what `encodePosition` has not made. */
export function decodePosition(cursor: string): LogPosition {
  const [, atMs, id] = form.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (atMs === undefined || id === undefined || Number(atMs) > latestMs) {
    throw invalidArgument("cursor must be the next_cursor of an earlier page");
  }
  return { atMs: Number(atMs), id };
}

/** The end of the year 9999: Postgres does not read the text of a later date. */
const latestMs = 253_402_300_799_999;
