"""Workers: processes of this machine or of many, which work on items within bounds of time and memory."""
