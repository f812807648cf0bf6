"""What Earmark is about, as frozen values. Times are whole milliseconds, dates are aware datetimes in UTC."""
