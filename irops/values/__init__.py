"""What can be known of a tensor."""
