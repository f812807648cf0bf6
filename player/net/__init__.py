"""The network: one client for everything that Earmark fetches, with one set of proxies, certificates and failures."""
