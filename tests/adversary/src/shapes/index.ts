import { chatShapes, embeddingsShapes, rpcShapes, streamShapes } from "./call-shapes.ts";
import { documentShapes, schemaShapes, valueShapes } from "./json-shapes.ts";
import type { Shape } from "./shape.ts";
import { textShapes } from "./text-shapes.ts";

export type { Family, Shape } from "./shape.ts";

/** Every hostile form that is tried. */
export const shapes: readonly Shape[] = [
  ...textShapes,
  ...valueShapes,
  ...chatShapes,
  ...embeddingsShapes,
  ...rpcShapes,
  ...schemaShapes,
  ...documentShapes,
  ...streamShapes,
];
