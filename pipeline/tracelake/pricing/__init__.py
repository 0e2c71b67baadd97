"""Where prices come from: the package, our own overrides and the user's file -> flat price rows."""
