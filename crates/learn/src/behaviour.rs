//! Behaviour of users and resources: how unusual a deed is against the past of its principal and its peers.
