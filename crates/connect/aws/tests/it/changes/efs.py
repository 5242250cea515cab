"""File systems."""


@change("enable_file_system_backups")
def _():
    return client("efs").create_file_system(CreationToken="no-backups")["FileSystemArn"]
