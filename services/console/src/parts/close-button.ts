/** Name of the button that closes a drawer or dialog. To be passed on where one sets properties of that button: they replace the theme's. */
export const closeButton = { "aria-label": "Close" };
