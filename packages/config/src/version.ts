/** Version of Gatehouse, as shown to clients and peers. */
export const gatehouseVersion = "0.1.0";
