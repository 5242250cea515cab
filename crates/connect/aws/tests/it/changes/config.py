"""Configuration recorders."""


@change("start_configuration_recorder")
def _():
    client("s3").create_bucket(Bucket="recordings")
    config = client("config")
    config.put_configuration_recorder(
        ConfigurationRecorder={"name": "default", "roleARN": f"arn:aws:iam::{ACCOUNT}:role/config", "recordingGroup": {"allSupported": True}}
    )
    config.put_delivery_channel(DeliveryChannel={"name": "default", "s3BucketName": "recordings"})
    return f"arn:aws:config:{REGION}:{ACCOUNT}:configuration-recorder/default"
