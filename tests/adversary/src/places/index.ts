import { controlPlaces } from "./control-places.ts";
import { headPlaces } from "./head-places.ts";
import type { Place } from "./place.ts";
import { replyPlaces } from "./reply-places.ts";
import { requestPlaces } from "./request-places.ts";

export { accepts, payloadOf, type Place } from "./place.ts";
export { openSite, type Site } from "./site.ts";

/** All places that accept foreign bytes. */
export const places: readonly Place[] = [...requestPlaces, ...controlPlaces, ...headPlaces, ...replyPlaces];
