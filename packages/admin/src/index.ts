export { type AdminContext, type AdminOwner, bindAdmin } from "./bind-admin.ts";
export { createArgumentsCheck } from "./check-arguments.ts";
export {
  type Access,
  defineOperation,
  type JsonObject,
  type Operation,
  type OperationCall,
  type OperationDefinition,
} from "./operation.ts";
export { nearestName } from "./nearest-name.ts";
export { isRowId, toPageRequest } from "./paging.ts";
export {
  defineResource,
  type Field,
  type InputOf,
  type Resource,
  secret,
  shown,
  writable,
  writableOptional,
} from "./resource.ts";
export {
  flag,
  id,
  integer,
  list,
  nullable,
  number,
  oneOf,
  optional,
  page,
  project,
  reference,
  record,
  text,
  withDefault,
} from "./schemas.ts";
