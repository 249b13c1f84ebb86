def main(chosen):
    return 0
