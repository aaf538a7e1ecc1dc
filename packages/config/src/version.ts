/** The version of Gatehouse, as its parts name themselves to others. */
export const gatehouseVersion = "0.1.0";
